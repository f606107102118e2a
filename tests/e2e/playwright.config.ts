import { defineConfig } from '@playwright/test'
import { isFullTier } from '../../build/test-tier.ts'
import { SHORT_LIVED_PAGES } from '../helpers/short-lived-pages.ts'
import { FAST_SPECS } from './fast-specs.ts'
import { DESKTOP_ONLY, shellSpecTitles, titlesOf } from './shell-specs.ts'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  SHORT_LIVED_PAGES,
]

/** A one-time link, a page on disk, a browser with a microphone of its own. */
const BROWSER_ONLY = ['engine.spec.ts', 'blinding.spec.ts', 'report-page.spec.ts', 'speech.spec.ts', 'voices.spec.ts']
/** Colours do not depend on the host: looked at once. */
const ONCE = /\bdark\b/
/** Set where all specs are wanted in both hosts, or where this machine has no browser and the app stands in for it. */
const ASKED = process.env['RAG_LADDER_SPECS']
/** Specs that are named on Playwright's own command line run in every tier: they have no host. */
const HOST = process.env['RAG_LADDER_SPEC_HOST']
const tier = isFullTier() || ASKED === 'all' || HOST === undefined ? 'full' : 'fast'
const browserTitles = tier === 'full' ? [/./] : FAST_SPECS.map(titlesOf)
const desktopTitles = ASKED === 'all' ? [/./] : [...shellSpecTitles(tier), ...(ASKED === 'alone' ? browserTitles : [])]

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.ts',
  // Each host keeps its own: the second one would wipe what the first one's failures left.
  outputDir: `../../out/e2e/${HOST ?? 'chromium'}`,
  // A wait costs nothing where the page is quick; a busy machine takes several times as long.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  workers: 2,
  fullyParallel: true,
  reporter: [['list']],
  // Fading and sliding are a tenth of what pages compute here. In the app, which has no such option, pages move.
  use: { viewport: { width: 1440, height: 900 }, contextOptions: { reducedMotion: 'reduce' } },
  projects: [
    // One host at a time: which one decides what `page` is (tests/helpers/panel-page.ts).
    HOST === 'electron'
      ? {
          name: 'electron',
          testIgnore: BROWSER_ONLY,
          grepInvert: ONCE,
          grep: desktopTitles,
        }
      : {
          name: 'chromium',
          testIgnore: DESKTOP_ONLY,
          grep: browserTitles,
          grepInvert: /@desktop/,
          use: { launchOptions: { executablePath: process.env.RAG_LADDER_CHROMIUM ?? '/usr/bin/chromium', args } },
        },
  ],
})
