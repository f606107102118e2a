import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * A process for work in native code, which may hang, crash or read hostile bytes: it gets no credential, its messages may hold typed arrays, and
 * it does not keep this process alive.
 */
export function forkWorker(entry: URL): ChildProcess {
  const child = fork(fileURLToPath(entry), [], {
    serialization: 'advanced',
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...withoutSecrets(process.env), ...('electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {}) },
  })
  // A start that fails is told by its exit.
  child.on('error', () => undefined)
  child.unref()
  child.channel?.unref()
  return child
}

/** Environment without what looks like a credential. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/TOKEN|KEY|SECRET|PASSWORD/i.test(name)))
}
