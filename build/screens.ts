import { runTool } from './run-step.ts'
import { answerHelp } from './answer-help.ts'

answerHelp(
  'npm run screens -- [--out FOLDER] [--width PIXELS]…: takes a picture of each page, light and dark, into docs/screens or FOLDER',
)

/**
 * Builds the pages and takes a picture of each of them, light and dark, over the published results and a small run of a real engine: into
 * `docs/screens/`, or the folder of `--out`. `--width 1440 --width 420` takes each at these widths.
 */
const build = await runTool('pages', 'vite', ['build', '-c', 'renderer.vite.config.ts', '--logLevel', 'warn'])
console.log(build.output)
const taken = build.ok
  ? await runTool('pictures', 'node', ['tests/screens/take-screens.ts', ...process.argv.slice(2)])
  : build
console.log(taken.output)
process.exitCode = taken.ok ? 0 : 1
