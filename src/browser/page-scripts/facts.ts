// What a page is at first sight: its title, and whether it is a login page or a wall against bots.
import type { PageFacts } from './answers.ts';

/** Marks that the makers of such walls put into their pages. */
const BOT_WALLS: readonly (readonly [name: string, selector: string])[] = [
  ['cloudflare', '#challenge-running, #challenge-form, #challenge-stage, script[src*="/cdn-cgi/challenge-platform/"][src*="orchestrate"]'],
  ['recaptcha', 'form[action*="sorry/index"], #captcha-form'],
  ['datadome', 'iframe[src*="captcha-delivery.com"]'],
  ['perimeterx', '#px-captcha, .px-captcha-container'],
  ['imperva', 'iframe[src*="_Incapsula_Resource"]'],
  ['akamai', '#sec-if-cpt-container, #sec-cpt-if'],
  ['aws-waf', '#captcha-container script[src*="awswaf"], awswaf-captcha'],
];

/** A visible password field in a page that asks for little else. */
const isLogin = (): boolean => {
  const passwords = [...document.querySelectorAll<HTMLInputElement>('input[type=password]')].filter((input) => input.checkVisibility());
  // Two new passwords make a registration or a change of password, which is no wall.
  return passwords.length === 1 && passwords[0]?.autocomplete !== 'new-password';
};

export const readFacts = (): PageFacts => ({
  title: document.title,
  login: isLogin(),
  botWall: BOT_WALLS.find(([, selector]) => document.querySelector(selector))?.[0],
});
