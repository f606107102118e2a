import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

/** A Ray cluster of this machine: a head without CPUs, and worker nodes with one each. */
export interface RayTestCluster {
  /** Of the dashboard, which has the API for jobs. */
  url: string
  /** Process number of each worker node. */
  raylets: number[]
  close(): Promise<void>
}

/** Starts a cluster from an installed Ray; `env` is what its workers inherit. Everything listens on 127.0.0.1. Rejects with what it printed. */
export async function startRayCluster(
  bin: string,
  { nodes, env }: { nodes: number; env: Record<string, string> },
): Promise<RayTestCluster> {
  // Its sockets lie below it, and the path of a socket has at most 107 characters.
  const folder = await mkdtemp(join(tmpdir(), 'ray-'))
  const child = spawn(join(bin, 'python'), [join(PROJECT_ROOT, 'tests/peers/ray-cluster.py'), folder, String(nodes)], {
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      RAY_USAGE_STATS_ENABLED: '0',
      // Off, Ray keeps to the loopback address.
      RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER: '0',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let printed = ''
  child.stderr.on('data', (part: Buffer) => (printed = `${printed}${part.toString()}`.slice(-4000)))
  const closed = once(child, 'close')
  const close = async (): Promise<void> => {
    child.stdin.end()
    await closed
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('{')) {
      child.stdout.resume()
      return { ...(JSON.parse(line) as { url: string; raylets: number[] }), close }
    }
  await close()
  throw new Error(`the Ray cluster did not start:\n${printed}`)
}
