-- Reads of mails and contacts cost a quarter more where a fifth of the rows is dead, which is when autovacuum begins by
-- default. Statistics of contacts decide the plan of previews. See docs/decisions/0207.
ALTER TABLE delivery SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE contact_state SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE address_contact SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
