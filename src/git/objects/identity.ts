/** The author, committer or tagger of an object, with the time and the time zone. */
export type Identity = { name: string; email: string; date: Date /** Minutes east of UTC */; zone: number };

const timestampPattern = /(-?\d{1,15})\s*([+-]\d{2})(\d{2})\s*$/;
const lastSecond = 8.64e12;
/** Names and addresses are truncated to this length, since pushed commits can have names of any length. */
const maxLength = 1_000;

/** Parses `Name <email> seconds zone`. Old tools wrote malformed ones: unreadable parts become empty, or the epoch. */
export function parseIdentity(text: string): Identity {
  const open = text.indexOf('<');
  const close = text.indexOf('>', open + 1);
  if (open < 0 || close < 0) return { name: text.slice(0, maxLength).trim(), email: '', date: new Date(0), zone: 0 };
  const name = text.slice(0, Math.min(open, maxLength));
  const email = text.slice(open + 1, Math.min(close, open + 1 + maxLength));
  const rest = text.slice(close + 1, close + 1 + maxLength);
  const time = timestampPattern.exec(rest);
  const seconds = Number(time?.[1] ?? /-?\d{1,15}/.exec(rest)?.[0] ?? 0);
  const hours = Number(time?.[2] ?? 0);
  const minutes = Number(time?.[3] ?? 0);
  const west = time?.[2]?.startsWith('-') ?? false;
  return {
    name: name.trim(),
    email: email.trim(),
    date: new Date(Math.abs(seconds) <= lastSecond ? seconds * 1000 : 0),
    zone: 60 * hours + (west ? -minutes : minutes) || 0,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that would break an identity's line.
const invalidCharacters = /[\u0000-\u001f<>]/g;

/** Formats an identity for a commit or a tag. As in Git, characters that would break the line are removed. */
export function formatIdentity({ name, email, date, zone }: Identity): string {
  const minutes = Math.abs(zone);
  const digits = String(Math.floor(minutes / 60)).padStart(2, '0') + String(minutes % 60).padStart(2, '0');
  const clean = (text: string) => text.replace(invalidCharacters, '').trim();
  return `${clean(name)} <${clean(email)}> ${Math.floor(date.getTime() / 1000)} ${zone < 0 ? '-' : '+'}${digits}`;
}
