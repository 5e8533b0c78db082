-- Only the page of the first account uses it, as the role of log-ins (0039).
REVOKE ALL ON FUNCTION next_account_id() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_account_id() TO kaitaku_login;
