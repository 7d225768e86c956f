import type { ResourceLimits } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { Outbound } from '#net/outbound.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import { type Encoded, encode, type Message } from './message.ts';
import { type Outcome, outcomeOfError, outcomeOfReply, unreadable } from './outcome.ts';
import { secretContext } from './secret-context.ts';
import type { Taken } from './take.ts';

/** The services that sending uses. */
export type SendServices = {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly vocabulary: Vocabulary;
  readonly version: string;
  readonly resourceLimits: ResourceLimits;
};

/** Sends one delivery. It doesn't throw: failures are outcomes too. */
export async function send(taken: Taken, services: SendServices): Promise<{ headers: Record<string, string>; outcome: Outcome }> {
  const { sendTime, reply } = services.resourceLimits.webhooks;
  const encoded = encodedOf(taken, services);
  if (!encoded) return { headers: {}, outcome: unreadable };
  const { headers, shown, body } = encoded;
  try {
    const received = await services.outbound.post({
      url: new URL(taken.url),
      headers,
      body,
      anyCertificate: taken.insecure_ssl,
      within: sendTime,
      keep: reply,
    });
    return { headers: shown, outcome: outcomeOfReply(received) };
  } catch (error) {
    return { headers: shown, outcome: outcomeOfError(error) };
  }
}

/** The encoded delivery; undefined if the hook's secret can't be decrypted, since it must not be sent unsigned. */
function encodedOf(taken: Taken, services: SendServices): Encoded | undefined {
  try {
    return encode(messageOf(taken, services.secrets), services);
  } catch {
    return undefined;
  }
}

function messageOf(taken: Taken, secrets: Secrets): Message {
  const { guid, event, payload, username, secret_sealed, password_sealed } = taken;
  return {
    guid,
    event,
    payload,
    hook: { id: taken.hook_id, ...targetOf(taken), contentType: taken.content_type },
    secret: secret_sealed ? secrets.openText(secret_sealed, secretContext('secret', taken)) : undefined,
    credentials:
      username === null
        ? undefined
        : { username, password: password_sealed ? secrets.openText(password_sealed, secretContext('password', taken)) : '' },
  };
}

const targetOf = ({ organization_id, repository_id, app_id }: Taken): Pick<Message['hook'], 'target' | 'targetId'> => {
  if (organization_id !== null) return { target: 'organization', targetId: organization_id };
  if (repository_id !== null) return { target: 'repository', targetId: repository_id };
  return { target: 'integration', targetId: app_id ?? 0 };
};
