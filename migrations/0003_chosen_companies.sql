-- Whether the companies of a run or a reservation were chosen one by one, as its client has told.
-- false: they come from list_conditions; if those are NULL too, nobody knows.
ALTER TABLE send_log ADD COLUMN companies_chosen boolean NOT NULL DEFAULT false
  CHECK (NOT companies_chosen OR list_conditions IS NULL);
ALTER TABLE reservation ADD COLUMN companies_chosen boolean NOT NULL DEFAULT false
  CHECK (NOT companies_chosen OR list_conditions IS NULL);
