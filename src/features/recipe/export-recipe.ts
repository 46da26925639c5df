// Renders a recipe as a Playwright test with expectations, or as a Puppeteer script. Pure.
import type { Recipe } from '../../store/recipes/recipe-schema.ts';
import { renderPlaywrightTest } from './recipe-playwright.ts';
import { renderPuppeteerScript } from './recipe-puppeteer.ts';

export const RECIPE_EXPORTS = ['playwright', 'puppeteer'] as const;
export type RecipeExport = (typeof RECIPE_EXPORTS)[number];

export const exportRecipe = (recipe: Recipe, library: RecipeExport): string =>
  library === 'playwright' ? renderPlaywrightTest(recipe) : renderPuppeteerScript(recipe);
