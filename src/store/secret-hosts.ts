// Hosts that the user confirmed for secrets that name none. Only the command line writes this file.
import { z } from 'zod';
import type { Home } from '../core/home.ts';
import { JsonFile } from './files/json-file.ts';

const ConfirmedHosts = z.object({ confirmed: z.record(z.string(), z.array(z.string())) });

export class SecretHosts {
  readonly #file: JsonFile<z.output<typeof ConfirmedHosts>>;

  constructor(home: Home) {
    this.#file = new JsonFile({ path: home.secretHosts, schema: ConfirmedHosts, version: 1 });
  }

  /**
   * Reads the file each time, because the user may confirm a host while a server runs. An
   * unreadable file confirms no hosts.
   */
  async confirmedFor(name: string): Promise<readonly string[]> {
    const all = await this.list();
    return Object.hasOwn(all, name) ? (all[name] ?? []) : [];
  }

  async list(): Promise<Readonly<Record<string, readonly string[]>>> {
    return (await this.#file.load())?.confirmed ?? {};
  }

  async allow(name: string, host: string): Promise<void> {
    const all = await this.list();
    const hosts = new Set(Object.hasOwn(all, name) ? all[name] : []);
    await this.#save({ ...all, [name]: [...hosts.add(host)] });
  }

  /** Returns whether the host was confirmed before. */
  async remove(name: string, host: string): Promise<boolean> {
    const all = await this.list();
    const hosts = Object.hasOwn(all, name) ? (all[name] ?? []) : [];
    if (!hosts.includes(host)) return false;
    await this.#save({ ...all, [name]: hosts.filter((other) => other !== host) });
    return true;
  }

  #save(all: Readonly<Record<string, readonly string[]>>): Promise<void> {
    const entries = Object.entries(all).filter(([, hosts]) => hosts.length > 0);
    return this.#file.save({
      confirmed: Object.fromEntries(entries.map(([name, hosts]) => [name, [...hosts]])),
    });
  }
}
