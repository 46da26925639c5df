// Tests of the messages for a Chrome that does not start.
import { describe, expect, it } from 'vitest';
import { isProfileInUse, launchFailure } from './launch-failure.ts';

const failure = (stderr: string): ReturnType<typeof launchFailure> =>
  launchFailure({ path: '/chrome', event: 'it exited with status 1', stderr });

describe('why Chrome did not start', () => {
  it.each([
    [
      'Running as root without --no-sandbox is not supported. See https://crbug.com/638180.',
      'sandbox',
      '--no-sandbox',
    ],
    [
      '/chrome: error while loading shared libraries: libnss3.so: cannot open shared object file',
      'library',
      'Install',
    ],
    ["/chrome: /lib/libc.so.6: version `GLIBC_2.38' not found", 'too old', '--chrome-path'],
    ['Failed to create a ProcessSingleton for your profile directory.', 'profile', '--isolated'],
    ['Opening in existing browser session.', 'profile', '--isolated'],
    [
      'DevTools remote debugging requires a non-default data directory. Specify this using --user-data-dir.',
      'default profile',
      '--profile',
    ],
    ['Missing X server or $DISPLAY', 'display', '--headless'],
    ['write failed: No space left on device', 'disk is full', 'Free'],
    ['Creating shared memory in /dev/shm/x failed', 'shared memory', '--shm-size'],
  ])('%s', (stderr, says, fix) => {
    const { error } = failure(stderr).toJSON();
    expect(error).toMatchObject({ code: 'chrome_launch_failed', retryable: false });
    expect(error.message).toContain(says);
    expect(error.hint).toContain(fix);
  });

  it("is quoted from Chrome's output if the cause is unknown", () => {
    const { error } = failure(
      '[1:2:0101/000000.123:ERROR:some/file.cc(12)] odd\n\nlast words\n',
    ).toJSON();
    expect(error).toMatchObject({
      message: 'Chrome did not start: it exited with status 1.',
      stderr: 'ERROR: odd\nlast words',
    });
    expect(error.hint).toContain('doctor');
  });

  it('keeps only the end of a long complaint', () => {
    const { stderr } = failure(`${'noise\n'.repeat(500)}${'x'.repeat(5000)}\nthe end`).details as {
      stderr: string;
    };
    expect(stderr.length).toBeLessThan(4000);
    expect(stderr.endsWith('the end')).toBe(true);
  });

  it('is attributed to the profile only if the profile is the cause', () => {
    expect(isProfileInUse(failure('Failed to create a ProcessSingleton'))).toBe(true);
    expect(isProfileInUse(failure('No usable sandbox'))).toBe(false);
    expect(isProfileInUse(new Error('ProcessSingleton'))).toBe(false);
  });
});
