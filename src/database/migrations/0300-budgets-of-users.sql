-- A bundle is a set of SKUs of several kinds, for example of all requests to an assistant.
alter table billing_rates add column bundle text;
update billing_rates set bundle = case sku when 'assistant_premium_request' then 'premium_requests' else 'ai_credits' end
  where sku in ('assistant_premium_request', 'assistant_ai_credit');

-- Names of repositories as they were last known in an organization, for reports after a deletion or a transfer.
create table billing_repositories (
  organization_id bigint not null references accounts on delete cascade,
  repository_id bigint not null,
  name text not null,
  primary key (organization_id, repository_id)
);
insert into billing_repositories (organization_id, repository_id, name)
  select distinct on (organization_id, repository_id) organization_id, repository_id, repository_name
  from billing_months order by organization_id, repository_id, month desc, rate_id desc;

-- Usage has the user who caused it. Storage has none, nor what was counted before users were kept. It may have no repository, either.
alter table billing_days drop constraint billing_days_pkey;
alter table billing_days drop column repository_name;
alter table billing_days alter column repository_id drop not null;
alter table billing_days add column user_id bigint;
create unique index billing_days_once on billing_days (organization_id, day, rate_id, repository_id, user_id) nulls not distinct;

alter table billing_months drop constraint billing_months_pkey;
alter table billing_months drop column repository_name;
alter table billing_months alter column repository_id drop not null;
alter table billing_months add column user_id bigint;
create unique index billing_months_once on billing_months (organization_id, month, rate_id, repository_id, user_id)
  nulls not distinct;

alter table billing_budgets add column scope text check (scope in ('organization', 'repository', 'multi_user_customer', 'user'));
update billing_budgets set scope = case when repository_id is null then 'organization' else 'repository' end;
alter table billing_budgets alter column scope set not null;
-- The product of which it limits the usage: of a SKU or a bundle, the one that these belong to.
alter table billing_budgets add column product text;
update billing_budgets set product = split_part(product_sku, '_', 1);
alter table billing_budgets alter column product set not null;
alter table billing_budgets add column user_id bigint references accounts on delete cascade;
alter table billing_budgets add constraint billing_budgets_subject
  check ((scope = 'repository') = (repository_id is not null) and (scope = 'user') = (user_id is not null));
alter table billing_budgets drop constraint billing_budgets_budget_type_check;
alter table billing_budgets add constraint billing_budgets_budget_type_check
  check (budget_type in ('BundlePricing', 'ProductPricing', 'SkuPricing'));
drop index billing_budgets_once;
create unique index billing_budgets_once on billing_budgets (organization_id, scope, repository_id, user_id, product_sku)
  nulls not distinct;
create index billing_budgets_user on billing_budgets (user_id) where user_id is not null;

-- A budget for each user reaches its thresholds once for each of them.
alter table billing_budget_alerts drop constraint billing_budget_alerts_pkey;
alter table billing_budget_alerts add column user_id bigint references accounts on delete cascade;
create unique index billing_budget_alerts_once on billing_budget_alerts (budget_id, month, threshold, user_id) nulls not distinct;
create index billing_budget_alerts_user on billing_budget_alerts (user_id) where user_id is not null;

-- The user for whom a job's token requested an attempt, which is known of the latest attempt by its run.
alter table workflow_run_attempts add column on_behalf_of_id bigint references accounts on delete set null;
create index workflow_run_attempts_on_behalf_of on workflow_run_attempts (on_behalf_of_id) where on_behalf_of_id is not null;

-- The alerts of a budget are a thread of their own: for a budget for each user, one for each of them.
alter table notification_subjects add column budget_id bigint references billing_budgets on delete cascade;
alter table notification_subjects add column budget_user_id bigint references accounts on delete cascade;
-- Alerts so far don't say which budget they are of, and their thresholds are reached again next month.
delete from notification_subjects where kind = 'budget';
alter table notification_subjects add constraint notification_subjects_of_budget
  check ((kind = 'budget') = (budget_id is not null));
drop index notification_subjects_once;
create unique index notification_subjects_once on notification_subjects (repository_id, kind, issue_id, commit_sha, release_id,
  check_suite_id, secret_alert_id, repository_advisory_id, budget_id, budget_user_id) nulls not distinct;
create index notification_subjects_budget on notification_subjects (budget_id) where budget_id is not null;
create index notification_subjects_budget_user on notification_subjects (budget_user_id) where budget_user_id is not null;
