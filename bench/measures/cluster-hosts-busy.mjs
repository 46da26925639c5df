// The pace of a host for the whole fleet on a machine that has far too much to do.
import os from 'node:os';
import { measureHostRow } from './cluster-hosts.mjs';

const LOAD = 10;

export const clusterHostsBusy = (context) => {
  const busy = Math.max(0, LOAD - Math.floor(os.loadavg()[0]));
  return measureHostRow(context, busy, `, at load ${LOAD} or more`);
};
