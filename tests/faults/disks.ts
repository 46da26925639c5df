// Disks of a few megabytes for the fault tests.
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { onTestFinished } from 'vitest';

/**
 * Mounts a small file system on a folder until the test ends; false if this user must not mount.
 */
export const mountSmall = async (folder: string, options: string): Promise<boolean> => {
  await mkdir(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return true;
};
