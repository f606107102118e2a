import type { Command } from './command.ts'

interface Listed {
  /** Holds what the overview and the help of the command say it does. Kept here, so that the overview loads no command. */
  summary: string
  load: () => Promise<Command>
}

/** Commands by name; each is loaded when it is called, so that a small one starts fast. */
export const COMMANDS: Readonly<Record<string, Listed>> = {
  init: {
    summary: 'Make a project: copy the built-in datasets, documents and settings into a folder. Overwrites nothing.',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  ladder: {
    summary:
      'Climb the datasets from a cold start: reset, ingest, ask every question of every approach, evaluate, publish, and print the matrix.',
    load: async () => (await import('./commands/ladder.ts')).ladderCommand,
  },
  matrix: {
    summary:
      'Ask the questions of one dataset against a gateway that is already set up, and print the matrix; resumes what is stored.',
    load: async () => (await import('./commands/matrix.ts')).matrixCommand,
  },
  dataset: {
    summary:
      'Create, fill, check and share datasets of your own: list, new, add, questions, draft, drafts, check, export, import, remove, restore.',
    load: async () => (await import('./commands/dataset.ts')).datasetCommand,
  },
  ask: {
    summary: 'Ask approaches one question of your own, on a dataset that a run has ingested; stored in no run.',
    load: async () => (await import('./commands/ask.ts')).askCommand,
  },
  bundle: {
    summary: 'Write a run to one zip file, and open one that another installation wrote: export, import.',
    load: async () => (await import('./commands/bundle.ts')).bundleCommand,
  },
  plan: {
    summary: 'Show what a ladder would reuse, call and refuse. Calls nothing and writes nothing.',
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  worker: {
    summary:
      'Help with the answers of a run whose rows are in a database, beside any number of other workers; --list shows who works on it.',
    load: async () => (await import('./commands/worker.ts')).workerCommand,
  },
  submit: {
    summary: 'Send workers of a run to a Ray cluster; show, follow and stop them there.',
    load: async () => (await import('./commands/submit.ts')).submitCommand,
  },
  evaluate: {
    summary: 'Score the stored answers of a run again, as a new run; no approach is called.',
    load: async () => (await import('./commands/evaluate.ts')).evaluateCommand,
  },
  judge: {
    summary:
      'Grade stored answers blindly: by the judge panel, or by a person in a sealed round. No approach is called.',
    load: async () => (await import('./commands/judge.ts')).judgeCommand,
  },
  summarize: {
    summary:
      'Sum up finished runs from their evidence: the matrix of each run on the terminal, and all figures as one long CSV.',
    load: async () => (await import('./commands/summarize.ts')).summarizeCommand,
  },
  report: {
    summary:
      'Write the report of a run: one HTML page with charts that needs no network, or Markdown; or a site of all runs.',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  trace: {
    summary:
      'Print the calls that an answer of a run is made of, as a tree: times, tokens, and what was sent and received.',
    load: async () => (await import('./commands/trace.ts')).traceCommand,
  },
  tune: {
    summary:
      'Search for better parameters of an approach on one part of the questions, and confirm the best once on a sealed part.',
    load: async () => (await import('./commands/tune.ts')).tuneCommand,
  },
  gate: {
    summary: 'Check that a run is not worse than another one by more than a margin: for a build server, fails closed.',
    load: async () => (await import('./commands/gate.ts')).gateCommand,
  },
  publish: {
    summary: 'Validate the artifacts of a finished run and copy them to docs/results.',
    load: async () => (await import('./commands/publish.ts')).publishCommand,
  },
  verify: {
    summary:
      'Check every byte of evidence files (form, checksums, row ids, duplicates, torn tails), of summaries and judgments, or the files of a report page.',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  'import-results': {
    summary:
      'Convert evidence rows of another schema into snapshots that summarize and the pages read. What such rows lack stays unknown.',
    load: async () => (await import('./commands/import-results.ts')).importResultsCommand,
  },
  recover: {
    summary: 'Move the unfinished last line of an evidence file aside, so that the run can be resumed.',
    load: async () => (await import('./commands/recover.ts')).recoverCommand,
  },
  metrics: {
    summary: 'Explain what each metric measures, and under which name options and files have it.',
    load: async () => (await import('./commands/metrics.ts')).metricsCommand,
  },
  routes: {
    summary: 'Show where the adaptive workflow sends each kind of question, and what that was decided by.',
    load: async () => (await import('./commands/metrics.ts')).routesCommand,
  },
  approaches: {
    summary: 'Compare an approach of your own, a service or a program: list, presets, new, add, test, remove.',
    load: async () => (await import('./commands/approaches.ts')).approachesCommand,
  },
  flavors: {
    summary: 'Approaches with your own parameters: list, add, prompt, remove.',
    load: async () => (await import('./commands/flavors.ts')).flavorsCommand,
  },
  models: {
    summary: 'Connect model services and choose model sets: list, test, forget, add, key, fetch, price, remove, use.',
    load: async () => (await import('./commands/models.ts')).modelsCommand,
  },
  platform: {
    summary: 'Start the embedded platform for one dataset and keep it running until Ctrl-C.',
    load: async () => (await import('./commands/platform.ts')).platformCommand,
  },
  doctor: {
    summary:
      'Check every model of the chosen set and every service that variables name; name the first thing that is wrong with what to do.',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  trash: {
    summary: 'Show, restore and empty what cold resets and removed runs left: list, restore, empty.',
    load: async () => (await import('./commands/trash.ts')).trashCommand,
  },
  trust: {
    summary:
      'Allow an address that a project names to get your keys, or its .env file as it is now to set variables, on this computer; without an argument, list what is allowed.',
    load: async () => (await import('./commands/trust.ts')).trustCommand,
  },
  export: {
    summary: 'Write a file for another program: litellm, results, job.',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  mcp: {
    summary:
      'Serve runs, verdicts, answers, plan and ask to an assistant by the Model Context Protocol, on standard input and output; reads only.',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  serve: {
    summary: 'Serve the control panel to a browser on this machine until Ctrl-C; prints a link that opens it once.',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
}
