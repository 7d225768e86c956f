/** The rules of organizations that new repositories of a command violate. They don't refuse an operator's commands. */
export type BypassedRules = {
  /** Adds lines about one repository. */
  add(lines: readonly string[]): void;
  /** The lines about all repositories, to be printed. */
  readonly lines: readonly string[];
  /** The same as a part of the printed JSON. */
  fields(): { bypassed_rules?: readonly string[] };
};

export function bypassedRules(): BypassedRules {
  const lines: string[] = [];
  return {
    add: (more) => void lines.push(...more),
    lines,
    fields: () => (lines.length === 0 ? {} : { bypassed_rules: lines }),
  };
}
