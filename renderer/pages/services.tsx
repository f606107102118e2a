import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Loaded, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { ServicePanel } from '../features/services/service-panel.tsx'
import { SERVICES_WORDS } from '../features/services/services-words.ts'

const WORDS = SERVICES_WORDS.page

const USAGE_MS = 5000

/** Each service with its state, figures, log and buttons; which logs are open is part of the link. */
export function ServicesPage() {
  const search = useSearch({ from: '/services' })
  const navigate = useNavigate({ from: '/services' })
  const services = useQuery({
    ...api.services.list.queryOptions(),
    // State changes come as events; memory and processor do not.
    refetchInterval: USAGE_MS,
  })
  const { data } = services
  const open = search.open ?? data?.filter(({ state }) => state === 'failed').map(({ name }) => name) ?? []
  const toggle = (name: string): void =>
    void navigate({
      search: { open: open.includes(name) ? open.filter((each) => each !== name) : [...open, name] },
      replace: true,
    })
  return (
    <Page title={WORDS.providers}>
      <Loaded query={services} what={WORDS.serviceList} rows={8} height={96} />
      {data?.map((service) => (
        <ServicePanel
          key={service.name}
          service={service}
          isLogOpen={open.includes(service.name)}
          onLog={() => toggle(service.name)}
        />
      ))}
    </Page>
  )
}
