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

/** Milliseconds within which a receiver must have answered completely. */
export const sendWithin = 10_000;

/** Bytes of a receiver's reply that are kept. */
export const keptReply = 64 * 1024;

/** Bytes of the largest payload that is sent. */
export const largestPayload = 25 * 1024 * 1024;
