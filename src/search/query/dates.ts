/** A range that includes `from` and excludes `until`, in milliseconds since 1970, UTC. */
export type DateRange = { from?: number; until?: number };

const datePattern = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/i;

const comparison = /^(>=|<=|>|<)(.+)$/;
const day = 86_400_000;

/**
 * Parses a date, a comparison, or `a..b` with `*` for an open end; undefined for other texts. A date means its whole period: a
 * year, a month, a day, a minute or a second. `>2024-01-01` means after that day, and `<=2024-01-01` until its end. Times without
 * a zone are UTC.
 */
export function readDateRange(text: string): DateRange | undefined {
  const [, sign, rest] = comparison.exec(text) ?? [];
  if (sign && rest) return compared(sign, readPeriod(rest));
  const dots = text.indexOf('..');
  if (dots < 0) return readPeriod(text);
  const [low, high] = [text.slice(0, dots), text.slice(dots + 2)];
  const first: DateRange | undefined = low === '*' ? {} : readPeriod(low);
  const last: DateRange | undefined = high === '*' ? {} : readPeriod(high);
  if (!first || !last) return undefined;
  return {
    ...(first.from === undefined ? {} : { from: first.from }),
    ...(last.until === undefined ? {} : { until: last.until }),
  };
}

type Period = { from: number; until: number };

function compared(sign: string, period: Period | undefined): DateRange | undefined {
  if (!period) return undefined;
  if (sign === '>') return { from: period.until };
  if (sign === '>=') return { from: period.from };
  return { until: sign === '<' ? period.from : period.until };
}

function readPeriod(text: string): Period | undefined {
  const [matched, year, month, date, hour, minute, second, zone] = datePattern.exec(text) ?? [];
  if (!matched) return undefined;
  const [y, m, d] = [Number(year), Number(month ?? 1), Number(date ?? 1)];
  const start = Date.UTC(2000, m - 1, d, Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0));
  const from = new Date(start).setUTCFullYear(y, m - 1, d);
  if (!exists(from, { y, m, d }) || Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59)
    return undefined;
  if (!month) return { from, until: new Date(from).setUTCFullYear(y + 1) };
  if (!date) return { from, until: new Date(from).setUTCFullYear(y, m, 1) };
  if (!hour) return { from, until: from + day };
  const offset = zoneMinutes(zone);
  if (offset === undefined) return undefined;
  const instant = from - offset * 60_000;
  return { from: instant, until: instant + (second ? 1_000 : 60_000) };
}

/** Whether a date exists. JavaScript turns the 30th of February into a day of March. */
function exists(instant: number, { y, m, d }: { y: number; m: number; d: number }): boolean {
  const date = new Date(instant);
  return date.getUTCFullYear() === y && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
}

function zoneMinutes(zone: string | undefined): number | undefined {
  if (!zone || zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
