import { answerHelp } from '../../build/answer-help.ts'

answerHelp(
  'npm run bench -- [--only NAME] [--json] [--write] [--data SET]… [--half HALF] [--aliases LIST] [--model-set SET] [--job LIST] [--kills N] [--seed N]: measures against the targets of docs/figures.md',
)

// Loaded here, because the benchmarks take seconds of processor time to load.
await import('./run-benchmarks.ts')
