-- From which list a run or a reservation was made: filter and order of the companies, as its client has told them.
-- NULL: it has not, the run is older, or the reservation was joined from several lists.
ALTER TABLE send_log ADD COLUMN list_conditions jsonb;
ALTER TABLE reservation ADD COLUMN list_conditions jsonb;
