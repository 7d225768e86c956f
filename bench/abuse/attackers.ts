/** Runs many attackers in a separate process, so that their work doesn't delay the measurement. */
import { type Attacker, makeAttacker, type Statuses, type Target } from './attacker.ts';
import { attacks } from './attacks.ts';

export type Order = { attack: string; target: Target; attackers: number; milliseconds: number };
export type Ended = { rounds: number; statuses: Record<string, number> };

process.on('message', (order: Order) => {
  run(order).then(
    (ended) => process.send?.(ended, () => process.exit(0)),
    (error) => {
      throw error;
    },
  );
});

async function run({ attack, target, attackers, milliseconds }: Order): Promise<Ended> {
  const chosen = attacks.find(({ name }) => name === attack);
  if (!chosen) throw new Error(`there is no attack '${attack}'`);
  const signal = AbortSignal.timeout(milliseconds);
  const statuses: Statuses = new Map();
  let rounds = 0;
  const attackOn = async (attacker: Attacker): Promise<void> => {
    while (!signal.aborted) {
      await chosen.run(attacker).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      rounds++;
    }
  };
  await Promise.all(
    Array.from({ length: attackers }, (_, number) => {
      const account = chosen.by === 'accounts' ? target.accounts[number % target.accounts.length] : undefined;
      return attackOn(makeAttacker({ number, target, signal, account }, statuses));
    }),
  );
  return { rounds, statuses: Object.fromEntries(statuses) };
}
