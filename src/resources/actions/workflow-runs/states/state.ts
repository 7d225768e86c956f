// The state of a row, as one word.

const openStates = ['pending', 'waiting', 'queued', 'in_progress'] as const;
type Open = (typeof openStates)[number];

type Row = { readonly status: string; readonly conclusion: string | null };

/** Whether a row is in a state from which a transition is allowed. */
export const allows = ({ from }: { readonly from: readonly string[] }, { status, conclusion }: Row): boolean =>
  from.includes(conclusion ?? status);

const isOpen = <State extends string>(state: State): state is Extract<State, Open> => openStates.some((one) => one === state);

/** The columns for a state. */
export const stateColumns = <State extends string>(
  state: State,
): { status: Extract<State, Open> | 'completed'; conclusion: Exclude<State, Open> | null } =>
  isOpen(state) ? { status: state, conclusion: null } : { status: 'completed', conclusion: state as Exclude<State, Open> };

/** A transition that isn't allowed from the row's state, or to the chosen state. */
export class IllegalTransition extends Error {
  constructor(name: string, of: string) {
    super(`The transition ${name} does not lead ${of}`);
  }
}

/** The new state of a transition: the chosen one, or its only one. */
export function targetOf<State extends string>(name: string, targets: readonly State[], chosen: State | undefined): State {
  const target = chosen ?? (targets.length === 1 ? targets[0] : undefined);
  if (target === undefined || !targets.includes(target)) throw new IllegalTransition(name, `to ${chosen ?? 'a state by itself'}`);
  return target;
}
