export { laterReasons, reasons } from './reasons.ts';
