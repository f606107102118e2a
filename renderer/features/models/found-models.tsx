import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { connectionKind, type ConnectionKind } from '../../../contract/manifests/model-connections.ts'
import { bytes } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'

const WORDS = MODELS_WORDS.found

const fileName = (path: string): string => path.replace(/^.*[\\/]/, '')

interface FoundModelsProps {
  onConnect: (kind: ConnectionKind) => void
  onFile: (path: string) => void
}

/** Services that listen on their usual port and model files in the usual folders; nothing where there are none. */
export function FoundModelsPanel({ onConnect, onFile }: FoundModelsProps) {
  const { data } = useQuery(api.models.found.queryOptions())
  if (data === undefined || (data.services.length === 0 && data.files.length === 0)) return null
  const memory = data.memory_bytes
  return (
    <Panel title={WORDS.title}>
      <ul className={styles.found}>
        {data.services.map(({ kind, address, models }) => (
          <li key={kind}>
            {WORDS.service(connectionKind(kind).label, address, models.length)}
            <Button size="xs" variant="default" onClick={() => onConnect(kind)}>
              {WORDS.connect}
            </Button>
          </li>
        ))}
        {data.files.map(({ path, size_bytes: size }) => (
          <li key={path} title={path}>
            {WORDS.file(fileName(path), bytes(size), bytes(memory))}
            {size > memory ? (
              <span className={styles.bad}>▲ {WORDS.tooLarge}</span>
            ) : (
              <Button
                size="xs"
                variant="default"
                aria-label={WORDS.chooseFile(fileName(path))}
                onClick={() => onFile(path)}
              >
                {WORDS.choose}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
