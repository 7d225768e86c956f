/** The settings of webhook deliveries. */
export type WebhookSettings = {
  /** Private address ranges that may be reached. */
  readonly allow: readonly string[];
  /** How often a failed delivery is sent again without being asked for. 0, as in the public API: never. */
  readonly retries: number;
  /** Days for which deliveries can be looked at. */
  readonly keepDays: number;
};

export const defaultWebhookSettings: WebhookSettings = { allow: [], retries: 0, keepDays: 7 };
