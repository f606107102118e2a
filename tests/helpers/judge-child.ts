import { readFileSync } from 'node:fs'
import type { PanelInput } from '../../main/judge/panel-input.ts'
import { runJudgePanel } from '../../main/judge/run-panel.ts'
import { samplePanel } from './judge-panel.ts'

/** A process that judges the answers of INPUT through ENDPOINT into FILE, to be killed by a test. */
const input = JSON.parse(readFileSync(process.env['INPUT']!, 'utf8')) as PanelInput
await runJudgePanel(input, {
  panel: samplePanel({ rotations: 2 }),
  gateway: { url: process.env['ENDPOINT']!, apiKey: null },
  aliases: [],
  seed: 'seed',
  file: process.env['FILE']!,
  concurrency: 2,
})
