export { measureBranch } from './measure.ts';
