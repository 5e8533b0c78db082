-- Lets PgBouncer look up the passwords of the roles. A superuser runs this in the database `kaitaku`.
CREATE ROLE pgbouncer LOGIN PASSWORD '…';
CREATE SCHEMA pgbouncer;
GRANT USAGE ON SCHEMA pgbouncer TO pgbouncer;
CREATE FUNCTION pgbouncer.get_auth(name text) RETURNS TABLE (usename name, passwd text)
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
  AS $$ SELECT rolname, rolpassword FROM pg_authid WHERE rolname = $1 AND rolcanlogin AND NOT rolsuper $$;
REVOKE ALL ON FUNCTION pgbouncer.get_auth(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgbouncer.get_auth(text) TO pgbouncer;
