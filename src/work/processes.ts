// Which processes still live, for frontends: they may not look at processes themselves.
export { createProcesses } from '../browser/launch/process-identity.ts';
