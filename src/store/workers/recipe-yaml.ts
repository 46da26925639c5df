// Worker thread that parses the YAML of long recipes. The server can end it if it takes too long.
import { parentPort } from 'node:worker_threads';
import { getErrorMessage } from '../../core/failure.ts';
import { parseYaml } from '../recipes/recipe-yaml.ts';

export type YamlAnswer = { readonly value: unknown } | { readonly problem: string };

const parse = (text: string): YamlAnswer => {
  try {
    return { value: parseYaml(text) };
  } catch (error) {
    return { problem: getErrorMessage(error) };
  }
};

parentPort?.on('message', (text: string) => parentPort?.postMessage(parse(text)));
