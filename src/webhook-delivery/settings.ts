/** The settings of webhook deliveries. */
export type WebhookSettings = {
  /** Private address ranges that may be reached. */
  readonly allow: readonly string[];
  /** The number of automatic retries of a failed delivery. 0, as in the public API: none. */
  readonly retries: number;
  /** The number of days for which deliveries are stored. */
  readonly keepDays: number;
};

export const defaultWebhookSettings: WebhookSettings = { allow: [], retries: 0, keepDays: 7 };
