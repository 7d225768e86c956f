export { takesPrivateReports } from './rules.ts';
