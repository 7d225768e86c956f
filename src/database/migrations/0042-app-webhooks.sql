-- The webhook of an app stands with the others (webhooks.app_id).
alter table apps drop column webhook_url, drop column webhook_secret_sealed;
