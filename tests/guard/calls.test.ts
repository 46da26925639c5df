// What goes past HTTP: calls between browsers and WebTransport, with a list of domains.
import { describe, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';
import { lookUp, route, useSites } from './sites.ts';

const sites = useSites();
const CANDIDATES = `
  const peer = new RTCPeerConnection();
  peer.createDataChannel('x');
  const complete = new Promise((done) => { peer.onicecandidate = ({ candidate }) => candidate ?? done(); });
  await peer.setLocalDescription(await peer.createOffer());
  await complete;
  return 'udp candidates: ' + (peer.localDescription.sdp.match(/a=candidate.* udp /gi) ?? []).length`;

describe('with a list of domains', () => {
  const engine = useEngine(['--allow-domains', 'localhost'], { lookUp, route });

  it('no call between browsers leaves by UDP', async () => {
    await engine.text('navigate', { url: `${sites.home}/` });
    expect(await engine.text('javascript_tool', { code: CANDIDATES })).toContain(
      'udp candidates: 0',
    );
  });

  it('WebTransport is blocked, and reported', async () => {
    await engine.text('navigate', { url: `${sites.home}/` });
    const url = sites.away.replace('http:', 'https:');
    const reply = await engine.reply('javascript_tool', {
      code: `return new WebTransport('${url}/').ready.then(() => 'reached', () => 'refused')`,
    });
    expect(reply.text).toContain('refused');
    expect(reply.notes.join()).toContain('webtransport');
  });
});

describe('without one', () => {
  const engine = useEngine([], { lookUp, route });

  it('calls between browsers work as ever', async () => {
    await engine.text('navigate', { url: `${sites.home}/` });
    expect(await engine.text('javascript_tool', { code: CANDIDATES })).toMatch(
      /udp candidates: [1-9]/,
    );
  });
});
