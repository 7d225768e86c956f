// Limits on size, memory, time and number. Each part of the server and each family declares its own. `resources/all.ts` has the
// table of all limits.
export {
  fixedValue,
  initialValues,
  isLimitGroup,
  kibi,
  type Limit,
  type LimitGroup,
  type LimitOverrides,
  type LimitTable,
  type LimitValues,
  limitGroup,
  limitTable,
  mebi,
  minutes,
  moreLimits,
  type ResourceLimits,
  resourceLimits,
  seconds,
} from './limits/limit.ts';
