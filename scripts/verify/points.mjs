// The report of a verification: a result for each point, and a verdict at the end.

const failures = [];
let number = 0;

export const check = (holds, what) => {
  if (!holds) throw new Error(what);
};

export const same = (found, expected, what) =>
  check(
    JSON.stringify(found) === JSON.stringify(expected),
    `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`,
  );

/** Numbers start again below it. */
export const section = (title) => {
  number = 0;
  console.log(title);
};

/** `work` throws where the point does not hold, and may return what else is worth telling. */
export const point = async (title, work) => {
  number++;
  try {
    const said = await work();
    console.log(`${number}. ok    ${title}${said ? ` (${said})` : ''}`);
  } catch (error) {
    failures.push(number);
    console.log(
      `${number}. FAIL  ${title}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

export const verdict = (
  all = `\nall ${number} points hold`,
  some = `\n${failures.length} of ${number} points failed: `,
) => {
  console.log(failures.length === 0 ? all : `${some}${failures.join(', ')}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
};
