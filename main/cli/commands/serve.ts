import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ControlEvent } from '../../../contract/control/events.ts'
import { RunEvent } from '../../../contract/evidence/run-event.ts'
import { EngineConfigError } from '../../engine/engine-config.ts'
import { asConfigError, lockProject } from '../../engine/engine-lock.ts'
import { followEvents, launchEngine, type LaunchedEngine } from '../../engine/launch-engine.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { portOrAny } from '../../supervisor/free-port.ts'
import { createNodeLauncher } from '../../supervisor/node-launcher.ts'
import type { ServiceState } from '../../supervisor/service-state.ts'
import { openStateFolder } from '../../supervisor/state-folder.ts'
import { lastWords } from '../../supervisor/supervised-service.ts'
import { EXIT, flag, flagOption, numberOption, textOption, type Command, type Invocation } from '../command.ts'
import { pickOptions, PORT_OPTION, projectFolder } from '../options.ts'
import { chooseReporter } from '../progress/reporter.ts'
import { STOP_SIGNALS } from '../stop-signals.ts'

/** Taken when it is free, so that a bookmark stays good. */
const DEFAULT_PORT = 4870

/** The port that was asked for, which must be free, else the default one or any. */
async function portToTake(invocation: Invocation): Promise<number> {
  const chosen = numberOption(invocation, 'port')
  if (chosen === 0) return 0
  const free = await portOrAny(chosen ?? DEFAULT_PORT)
  if (chosen !== null && free !== chosen)
    throw new InputError([
      `--port: ${chosen} is in use on 127.0.0.1: end the program that uses it, or name another (0: any free one)`,
    ])
  return free
}

/** Fails early where an engine would only fail again and again. */
async function refuseSecondEngine(stateDir: string): Promise<void> {
  try {
    await openStateFolder(stateDir)
    lockProject(stateDir).close()
  } catch (error) {
    const cause = asConfigError(stateDir, error)
    throw cause instanceof EngineConfigError ? new InputError([cause.message]) : cause
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
  linux: ['xdg-open'],
}

function hasDisplay({ env }: Invocation): boolean {
  return process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])
}

/**
 * Opens the link in the user's browser. It is passed in a file that only this user can read, because every user of the machine can read the
 * arguments of a program.
 */
async function openInBrowser(link: string, stateDir: string): Promise<void> {
  const opener = OPENERS[process.platform]
  if (opener === undefined) return
  const page = join(stateDir, 'open.html')
  await rm(page, { force: true })
  await writeFile(page, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}">\n`, {
    mode: 0o600,
    flag: 'wx',
  })
  const [command, ...args] = opener
  const child = spawn(command, [...args, page], { stdio: 'ignore', detached: true })
  // Without a browser the printed link is still there.
  child.on('error', () => undefined)
  child.unref()
}

/** Resolves at the first sign to end; a second one ends at once. */
function untilStopped(onSecond: () => void): Promise<void> {
  return new Promise((done) => {
    let isStopping = false
    const onSignal = (): void => {
      if (isStopping) onSecond()
      isStopping = true
      done()
    }
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
  })
}

const RUN_EVENTS: ReadonlySet<string> = new Set(RunEvent.options.map(({ shape }) => shape.type.value))
const isRunEvent = (event: ControlEvent): event is RunEvent => RUN_EVENTS.has(event.type)

/** Shows what the panel is shown: the same events by the same numbers, as JSON lines or as a run's progress. */
async function showEvents(engine: LaunchedEngine, invocation: Invocation): Promise<void> {
  const isJson = flagOption(invocation, 'json')
  const reporter = chooseReporter(false, invocation.stderr)
  for await (const entry of followEvents(engine)) {
    if (isJson) invocation.stdout.write(`${JSON.stringify(entry)}\n`)
    else if (isRunEvent(entry.event)) reporter.event(entry.event)
  }
  reporter.end()
}

/** A link for another browser, or for one whose session has ended. */
function printLinksOnEnter(engine: LaunchedEngine, { stdout, stderr }: Invocation): void {
  process.stdin.on('data', () => {
    const { url } = engine.service
    if (url === null) return
    engine
      .client(url)
      .system.browserLink()
      .then(
        ({ url: link }) => stdout.write(`${link}\n`),
        () => stderr.write('the engine gave no link: press Enter again in a moment\n'),
      )
  })
}

const reasonOf = (state: ServiceState): string => (state.name === 'failed' ? state.reason : 'no reason was given')

/** Prints the engine's states after its start; resolves when it has failed. */
function followState({ service }: LaunchedEngine, print: (text: string) => void): Promise<void> {
  return new Promise((failed) => {
    service.onState((state) => {
      if (state.name === 'backoff')
        print(`the engine ended (${state.failure}) and is restarting; its runs can be resumed`)
      if (state.name === 'ready') print('the engine is running again at the same address')
      if (state.name === 'failed') failed()
    })
  })
}

export const serveCommand: Command = {
  name: 'serve',
  options: {
    ...pickOptions('project', 'results'),
    port: { ...PORT_OPTION, description: `port on 127.0.0.1; ${DEFAULT_PORT} unless it is taken, any for 0` },
    json: flag('print every event of the engine as a JSON line, after the link'),
    open: { type: 'boolean', description: 'open the link in the browser', default: true },
  },
  async run(invocation) {
    const root = projectFolder(invocation)
    const stateDir = join(root, STATE_FOLDER)
    await refuseSecondEngine(stateDir)
    const port = await portToTake(invocation)
    const engine = launchEngine({
      root,
      resultsDir: resolve(root, textOption(invocation, 'results') ?? 'results'),
      port,
      launcher: createNodeLauncher(),
    })
    const stopped = untilStopped(() => process.exit(EXIT.interrupted))
    const print = (text: string): void => void invocation.stderr.write(`${text}\n`)
    const starting = engine.service.start()
    let shown = Promise.resolve()
    const url = await Promise.race([starting, stopped.then(() => null)])
    if (url !== null) {
      const failed = followState(engine, print)
      if (!(await fetch(url)).ok) print('the pages are not built: run "npm run build" before you open the link')
      const { url: link } = await engine.client(url).system.browserLink()
      invocation.stdout.write(`${link}\n`)
      const isTerminal = process.stdin.isTTY
      print(
        `the panel is at ${url}; the link above opens it once, in one browser. ${isTerminal ? 'Enter prints another link, ' : ''}Ctrl-C stops everything.`,
      )
      if (isTerminal) printLinksOnEnter(engine, invocation)
      if (flagOption(invocation, 'open') && hasDisplay(invocation)) await openInBrowser(link, stateDir)
      shown = showEvents(engine, invocation)
      await Promise.race([stopped, failed])
    }
    process.stdin.pause()
    starting.catch(() => undefined)
    const hasFailed = engine.service.state.name === 'failed'
    if (hasFailed)
      print(
        [
          `the engine does not stay up: ${reasonOf(engine.service.state)}`,
          ...lastWords(engine.service.log.lines()),
        ].join('\n  '),
      )
    else print('stopping')
    await engine.service.stop()
    await shown
    await rm(join(stateDir, 'open.html'), { force: true })
    return hasFailed ? EXIT.serviceFailed : EXIT.ok
  },
}
