import { fileURLToPath } from 'node:url'
import { WorkNews } from '../../../contract/work-process.ts'
import type { WorkWish } from '../../../contract/work-process.ts'
import type { HostedPort, ParentPort } from '../parent-port.ts'
import { EndListeners } from './end-listeners.ts'
import { killGroup } from './kill-group.ts'
import { programNews } from './program-news.ts'
import { withoutCredentials } from '../../../contract/credential-names.ts'
import type { WorkEnd, WorkOptions, WorkProcess } from './work-process.ts'

/** Signals by their number, as the host tells an end by one; the services use no such exit code. */
const SIGNALS: Readonly<Record<number, string>> = { 6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV', 15: 'SIGTERM' }

const endOf = (code: number | null): WorkEnd => {
  const signal = process.platform === 'win32' || code === null ? undefined : SIGNALS[code]
  return signal === undefined ? { code, signal: null } : { code: null, signal }
}

interface Started {
  connect(port: HostedPort): void
  printed(text: string): void
  ended(code: number | null): void
}

const started = new Map<number, Started>()
let newest = 0
let isListening = false

function listenTo(parent: ParentPort): void {
  if (isListening) return
  isListening = true
  parent.on('message', ({ data, ports }) => {
    const { success, data: news } = WorkNews.safeParse(data)
    const work = success ? started.get(news.id) : undefined
    if (!success || work === undefined) return
    if (news.type === 'work.port') work.connect(ports[0]!)
    else if (news.type === 'work.printed') work.printed(news.text)
    else {
      started.delete(news.id)
      work.ended(news.code)
    }
  })
}

/** A working process that the host starts, for a service that may start none. It ends with the service. */
export function hostedWork(parent: ParentPort, { entry, args = [], onPrint }: WorkOptions): WorkProcess {
  listenTo(parent)
  const id = (newest += 1)
  const ask = (wish: WorkWish): void => parent.postMessage(wish)
  const ends = new EndListeners()
  const listeners = new Set<(message: unknown) => void>()
  const programs = new Set<number>()
  const unsent: object[] = []
  let port: HostedPort | null = null
  const killPrograms = (): void => programs.forEach(killGroup)
  started.set(id, {
    connect(connected) {
      port = connected
      port.on('message', ({ data }) => {
        const news = programNews(data)
        if (news === null) for (const listener of listeners) listener(data)
        else if (news.isRunning) programs.add(news.pid)
        else programs.delete(news.pid)
      })
      port.start()
      for (const message of unsent.splice(0)) port.postMessage(message)
    },
    printed: onPrint ?? ((text) => void process.stderr.write(text)),
    ended(code) {
      killPrograms()
      ends.tell(endOf(code))
    },
  })
  ask({ type: 'work.start', id, entry: fileURLToPath(entry), args: [...args], env: withoutCredentials(process.env) })
  return {
    get isAlive() {
      return !ends.isOver
    },
    send(message) {
      if (port === null) unsent.push(message)
      else port.postMessage(message)
    },
    onMessage(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onEnd: (listener) => ends.add(listener),
    kill() {
      ask({ type: 'work.kill', id })
      // A service that ends itself next hears of no end any more.
      killPrograms()
    },
    // The channel to the host keeps this process alive.
    hold: () => undefined,
    release: () => undefined,
  }
}
