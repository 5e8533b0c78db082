-- When a group sends, and how much a profile and an account send in a day (docs/decisions/sending-rules.md).

-- [{"weekday": 0–6, "opens": minute, "closes": minute}] in steps of 15 minutes. That those of a weekday are apart, the
-- program checks.
CREATE FUNCTION are_periods(value jsonb) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE jsonb_typeof(value) WHEN 'array' THEN jsonb_array_length(value) <= 14 AND NOT EXISTS (
    SELECT FROM jsonb_to_recordset(value) AS one (weekday integer, opens integer, closes integer)
    WHERE coalesce(weekday NOT BETWEEN 0 AND 6 OR opens < 0 OR closes > 1440 OR opens >= closes OR opens % 15 <> 0
      OR closes % 15 <> 0, true)) ELSE false END $$;

-- A group without a row has the hours of the pickers: Monday to Friday, 8:00 to 21:00, holidays too, `warn`.
CREATE TABLE business_hours (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  periods jsonb NOT NULL CHECK (are_periods(periods)),
  on_holidays boolean NOT NULL DEFAULT true,
  -- Outside of them a mail that is not late leaves (warn) or waits (hold).
  outside text NOT NULL DEFAULT 'warn' CHECK (outside IN ('warn', 'hold')),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Who changed it last.
  member_id bigint,
  PRIMARY KEY (account_id, sender_group_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);

CREATE TABLE closing_day (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- NULL: of all groups.
  sender_group_id bigint,
  first_day date NOT NULL,
  last_day date NOT NULL,
  name text NOT NULL,
  -- The group works on these days: they win over closing days and holidays.
  working boolean NOT NULL DEFAULT false,
  -- Each year from that of first_day on. 29 February is no day in common years.
  yearly boolean NOT NULL DEFAULT false,
  active boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  member_id bigint,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  CHECK (last_day >= first_day AND last_day - first_day < 92)
);

-- What a profile may send in a day in Tokyo, over all its senders. No row: as much as it can.
CREATE TABLE sender_limit (
  account_id bigint NOT NULL,
  profile_id bigint NOT NULL,
  per_day integer NOT NULL CHECK (per_day BETWEEN 1 AND 1000000),
  -- From this day on it begins with ramp_start and grows by ramp_percent a sending day. NULL: it does not grow.
  ramp_from date,
  ramp_start smallint NOT NULL DEFAULT 20 CHECK (ramp_start BETWEEN 1 AND 1000),
  ramp_percent smallint NOT NULL DEFAULT 30 CHECK (ramp_percent BETWEEN 1 AND 200),
  ramp_step smallint NOT NULL DEFAULT 0 CHECK (ramp_step >= 0),
  -- The day of its last claim, to which ramp_step belongs. NULL: none since it began to grow.
  ramp_day date,
  -- Bounces paused a run of it: it does not grow until after this day.
  ramp_held_until date,
  PRIMARY KEY (account_id, profile_id),
  FOREIGN KEY (account_id, profile_id) REFERENCES sender_profile (account_id, id) ON DELETE CASCADE
);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['business_hours', 'closing_day', 'sender_limit'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (account_id = current_account_id())', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_api, kaitaku_service', tenant_table);
  END LOOP;
END $$;

-- Of all groups of the account.
ALTER TABLE account_rule ADD COLUMN per_day integer CHECK (per_day BETWEEN 1 AND 1000000);

-- Why a queued mail waits until not_before: for an open time of its group, or because a limit of the day is used up.
ALTER TABLE delivery ADD COLUMN put_off text CHECK (put_off IN ('hours', 'limit'));

-- When the first candidate date of the run's mails is over. NULL: they offer none.
ALTER TABLE send_log ADD COLUMN dates_until timestamptz;
ALTER TABLE send_log DROP CONSTRAINT send_log_paused_by_check;
ALTER TABLE send_log ADD CONSTRAINT send_log_paused_by_check
  CHECK (paused_by IN ('user', 'sender_refused', 'policy_bounces', 'dates_over'));
