import { parentPort, workerData } from 'node:worker_threads'
import { loadExperiment, type Experiment, type ExperimentFiles } from '../manifests/experiment.ts'
import { ManifestError } from '../manifests/manifest-error.ts'

/** Describes what the thread sends back, once. */
export type ExperimentReply = { ok: true; experiment: Experiment } | { ok: false; file: string; problems: string[] }

async function load({ root, files }: { root: string; files: ExperimentFiles }): Promise<ExperimentReply> {
  try {
    return { ok: true, experiment: await loadExperiment(root, files) }
  } catch (error) {
    if (error instanceof ManifestError) return { ok: false, file: error.file, problems: error.problems }
    throw error
  }
}

parentPort?.postMessage(await load(workerData as { root: string; files: ExperimentFiles }))
