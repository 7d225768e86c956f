import { join } from 'node:path';
import pino from 'pino';
import { defaultLimits } from '#access/rate-limits.ts';
import type { Address } from '#database/connect.ts';
import { type Hearth, openHearth } from '#server/hearth.ts';

/** Opens a Hearth with default settings, except that rate limits are off and webhooks may be sent to this machine. */
export const openForBench = (address: Address, folder: string): Promise<Hearth> =>
  openHearth({
    address,
    repositories: join(folder, 'repositories'),
    env: process.env,
    vocabulary: 'service',
    limits: { ...defaultLimits, enabled: false },
    secretKey: Buffer.alloc(32, 7),
    version: 'bench',
    log: pino({ level: 'error' }),
    clock: () => new Date(),
    webhooks: { allow: ['127.0.0.0/8'] },
    embeddings: { provider: 'builtin' },
  });
