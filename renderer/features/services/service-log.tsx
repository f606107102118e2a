import { Button, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import type { ServiceLogLine, ServiceName } from '../../../contract/control/services.ts'
import { control } from '../../data/client.ts'
import styles from './services.module.css'
import { SERVICES_WORDS } from './services-words.ts'

const WORDS = SERVICES_WORDS.serviceLog

const KEPT_LINES = 500
/** Shown at first, in a box of that height. All of them are as long as the page: a box that scrolls in a page that scrolls has two bars beside each other. */
const NEWEST_LINES = 12
const timeOfDay = (iso: string): string => new Date(iso).toLocaleTimeString(undefined, { hour12: false })

/** The last lines as the service prints them, followed as long as it is open. */
export function ServiceLog({ name }: { name: ServiceName }) {
  const [lines, setLines] = useState<ServiceLogLine[]>([])
  const [words, setWords] = useState('')
  const [isWhole, setWhole] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const line of await control.services.logs({ name }, { signal: stop.signal }))
        setLines((before) => [...before.slice(1 - KEPT_LINES), line])
    }
    setLines([])
    follow().catch((error: unknown) => {
      if (!stop.signal.aborted) setFailure(controlErrorOf(error).message)
    })
    return () => stop.abort()
  }, [name])
  const needle = words.toLowerCase()
  const found = lines.filter(({ text }) => text.toLowerCase().includes(needle))
  const shown = isWhole ? found : found.slice(-NEWEST_LINES)
  return (
    <div className="stack">
      <TextInput
        size="xs"
        aria-label={WORDS.filterLog(name)}
        placeholder={WORDS.filter}
        value={words}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <ol className={styles.log} data-whole={isWhole} tabIndex={0} aria-label={WORDS.logOf(name)}>
        {lines.length === 0 && failure === null && <li className="dim">{WORDS.noLineYet}</li>}
        {lines.length > 0 && found.length === 0 && <li className="dim">{WORDS.noLine}</li>}
        {shown.map(({ number, at, text, missed }) => (
          <li key={number}>
            {missed > 0 && <span className="dim">{WORDS.linesDropped(missed)}</span>}
            <time className="dim" dateTime={at}>
              {timeOfDay(at)}
            </time>{' '}
            <bdi>{text}</bdi>
          </li>
        ))}
        {failure !== null && <li>▲ {failure}</li>}
      </ol>
      {found.length > NEWEST_LINES && (
        <Button className={styles.allLines} size="compact-xs" onClick={() => setWhole(!isWhole)}>
          {isWhole ? WORDS.showNewest : WORDS.showAll(found.length)}
        </Button>
      )}
    </div>
  )
}
