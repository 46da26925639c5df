// Can we write into the home folder, and can others not look into it?
import { isOpenToOthers, probeFolder } from '../../browser/launch/private-files.ts';
import type { Check } from './check.ts';

export const homeFolderCheck: Check = {
  id: 'home',
  run: async ({ home: { root } }) => {
    try {
      await probeFolder(root);
    } catch (error) {
      return {
        status: 'fail',
        message: `The home folder ${root} cannot be written: ${(error as Error).message}`,
        fix: 'Correct its permissions, free some space, or name another folder with OPENCHROME_HOME.',
      };
    }
    if (await isOpenToOthers(root))
      return { status: 'warn', message: `Other users of this machine can look into ${root}.`, fix: `chmod 700 "${root}"` };
    return { status: 'ok', message: `${root} is writable` };
  },
};
