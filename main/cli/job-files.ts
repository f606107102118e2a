import { stringify } from 'yaml'

// Files for schedulers of other people's clusters: each starts workers of a run (`rag-ladder worker`), which find their work in the database. None
// holds a credential: a Slurm job takes the environment of who submits it, a Kubernetes job a secret by its name.

/** The workers of a run, as a scheduler starts them. */
export interface WorkerJob {
  runId: string
  workers: number
  /** Arguments of `rag-ladder worker`. */
  args: readonly string[]
}

/** Variables that workers need, with what each is. The first one is needed always. */
export const JOB_VARIABLES = [
  ['MATRIX_EVIDENCE_URL', 'address of the database that keeps the rows'],
  ['MATRIX_GATEWAY_API_KEY', 'key of the gateway, where it asks for one'],
] as const

/** Name of the secret that a Kubernetes job takes its variables from. */
export const JOB_SECRET = 'rag-ladder'

/** A text as one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w./:=,@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A script for `sbatch`: one task for each worker. A task that fails leaves the others running. `program` is the folder of this program, as the nodes see it. */
export function slurmJob({ runId, workers, args }: WorkerJob, program: string): string {
  const [[database, what]] = JOB_VARIABLES
  return `#!/bin/bash
#SBATCH --job-name=${quoted(`rag-ladder-${runId}`)}
#SBATCH --ntasks=${workers}
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=512M
#SBATCH --requeue
# Submit it with ${database} and MATRIX_GATEWAY_API_KEY in the environment: sbatch hands them on.
set -euo pipefail
: "\${${database}:?set it to the ${what}}"
cd ${quoted(program)}
exec srun --kill-on-bad-exit=0 npm run --silent rag-ladder -- ${args.map(quoted).join(' ')}
`
}

/** Lower-case letters, digits and hyphens, at most 63 characters. */
const kubernetesName = (runId: string): string =>
  `rag-ladder-${runId.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-')}`.slice(0, 63).replace(/-+$/, '')

/** A Job for `kubectl apply`: one pod for each worker, started again when it fails. The image has this program as its working folder. */
export function kubernetesJob({ runId, workers, args }: WorkerJob, image: string): string {
  const container = {
    name: 'worker',
    image,
    command: ['npm', 'run', '--silent', 'rag-ladder', '--'],
    args: [...args],
    envFrom: [{ secretRef: { name: JOB_SECRET } }],
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
  }
  return stringify(
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: kubernetesName(runId), labels: { app: 'rag-ladder' } },
      spec: {
        completions: workers,
        parallelism: workers,
        completionMode: 'Indexed',
        backoffLimit: workers * 3,
        template: {
          metadata: { labels: { app: 'rag-ladder' } },
          spec: { restartPolicy: 'OnFailure', containers: [container] },
        },
      },
    },
    { lineWidth: 0 },
  )
}
