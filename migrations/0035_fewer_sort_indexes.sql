-- Hardly anybody sorts by these columns, and their indexes took a third of an import's time. Such a page is now sorted
-- by one scan of the list (docs/decisions/0128).
DROP INDEX prospect_ceo_idx;
DROP INDEX prospect_major_industry_idx;
DROP INDEX prospect_included_industry_idx;
DROP INDEX prospect_company_url_idx;
DROP INDEX prospect_contact_url_idx;
DROP INDEX prospect_profit_idx;
DROP INDEX prospect_year_idx;
