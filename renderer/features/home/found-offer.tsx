import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { connectionKind } from '../../../contract/manifests/model-connections.ts'
import { api } from '../../data/client.ts'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.foundOffer

/** Model services and files of this machine, while the person has chosen no models of their own; nothing where there are none. */
export function FoundOffer() {
  const navigate = useNavigate()
  const own = useQuery(api.models.list.queryOptions()).data?.sets.some((set) => set.own)
  const found = useQuery({ ...api.models.found.queryOptions(), enabled: own === false }).data
  if (own !== false || found === undefined) return null
  const services = found.services.map(({ kind, models }) => WORDS.service(connectionKind(kind).label, models.length))
  const all = [...services, ...(found.files.length === 0 ? [] : [WORDS.files(found.files.length)])]
  if (all.length === 0) return null
  return (
    <div className={styles.hint} role="note">
      <p>{WORDS.found(all)}</p>
      <Button variant="default" onClick={() => void navigate({ to: '/models' })}>
        {WORDS.choose}
      </Button>
    </div>
  )
}
