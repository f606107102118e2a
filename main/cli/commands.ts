import type { Command } from './command.ts'

/** Commands by name; each is loaded when it is called, so that a small one starts fast. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  ladder: async () => (await import('./commands/ladder.ts')).ladderCommand,
  matrix: async () => (await import('./commands/matrix.ts')).matrixCommand,
  dataset: async () => (await import('./commands/dataset.ts')).datasetCommand,
  ask: async () => (await import('./commands/ask.ts')).askCommand,
  bundle: async () => (await import('./commands/bundle.ts')).bundleCommand,
  plan: async () => (await import('./commands/plan.ts')).planCommand,
  worker: async () => (await import('./commands/worker.ts')).workerCommand,
  submit: async () => (await import('./commands/submit.ts')).submitCommand,
  evaluate: async () => (await import('./commands/evaluate.ts')).evaluateCommand,
  judge: async () => (await import('./commands/judge.ts')).judgeCommand,
  summarize: async () => (await import('./commands/summarize.ts')).summarizeCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  publish: async () => (await import('./commands/publish.ts')).publishCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  'import-results': async () => (await import('./commands/import-results.ts')).importResultsCommand,
  recover: async () => (await import('./commands/recover.ts')).recoverCommand,
  metrics: async () => (await import('./commands/metrics.ts')).metricsCommand,
  flavors: async () => (await import('./commands/flavors.ts')).flavorsCommand,
  models: async () => (await import('./commands/models.ts')).modelsCommand,
  platform: async () => (await import('./commands/platform.ts')).platformCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  trust: async () => (await import('./commands/trust.ts')).trustCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
}
