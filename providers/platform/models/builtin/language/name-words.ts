import type { EntityType } from '../../prompts/extract-task.ts'

/** Last words of names ("… Institute"), or first ones before "of" ("Isle of …"), by the type they give away. */
const HEADS: Partial<Record<EntityType, string>> = {
  organization: `academy admiralty agency airline airlines airways alliance army assembly association authority bank bankers
    board brewery brotherhood brothers bureau cabinet carrier centre center chamber charity church club college commission
    committee community company confederation consortium cooperative corporation corps council court department directorate
    division exchange faculty federation firm force foundation foundry fund gmbh group guild house inc     institute institution lab laboratories laboratory labs league limited line lines llc ltd ministry movement navy
    network office order orchestra organisation organization partners partnership party plc police press publishers
    regiment register sa school secretariat security service services shipyard sisterhood society software
    solutions sons station studio syndicate systems team theatre trust union university works yard
    yards collective research trading shipping consulting engineering insurance logistics
    assurance energy media motors foods chemicals textiles electronics pharmaceuticals mining records studios pictures airlines`,
  place: `archipelago bay beach canyon cape city coast county creek deep desert district duchy empire estuary falls fen
    field fields fjord forest glacier gulf harbour harbor haven heath hill hills highlands island islands isle isles
    kingdom lake lagoon land lands loch marsh moor mount mountain mountains ocean peninsula plain point port principality
    province range reach region republic ridge river riviera rock rocks sea shelf shoal shore sound state states strait
    straits street territory town trench vale valley village avenue road square quay`,
  facility: `airfield airport aqueduct barracks bridge building canal castle cathedral dam depot dock docks
    factory fort gallery garrison hall hospital hotel infirmary jetty lab library light lighthouse lock locks mill mine
    mines museum observatory palace pier plant prison quarry railway refinery reservoir shipyard stadium station
    temple terminal tower tunnel warehouse wharf workshop archive archives`,
  agreement: `accord accords act agreement alliance armistice charter code compact concordat constitution contract
    convention covenant declaration directive edict pact protocol regulation resolution settlement statute treaty`,
  project: `campaign census dig expedition experiment initiative mission operation plan programme program project scheme
    study survey trial trials voyage`,
  event: `affair assault attack battle blockade break breach carnival championship collapse collision conference congress
    coup crash crisis cup disappearance disaster earthquake election epidemic eruption exhibition explosion fair famine
    festival fire flood games hearing hearings incident inquiry inquest intrusion intrusions landing match massacre
    meeting mutiny night outage olympics panic plague raid rally rebellion revolt revolution riot run sinking siege
    storm strike summit symposium talks trial uprising war winter wreck`,
  artifact: `altar anchor bell camera clock compass crown cup engine globe gun instrument
    lamp ledger loom machine map medal microscope organ painting piano radio sextant sphere statue
    sword telescope tapestry`,
  publication: `almanac atlas bulletin chronicle courier diaries diary dictionary digest gazette handbook herald history
    journal letters magazine manual memoirs monthly news newsletter papers post quarterly record report review     times tribune weekly `,
  vessel: `frigate ketch schooner steamer submarine trawler`,
  law: `statute ordinance`,
  condition: `disease syndrome disorder fever anaemia anemia palsy dystrophy sclerosis`,
  substance: `acid oxide chloride sulfate sulphate`,
  group: `clan crew dynasty family gang tribe`,
}

/** Nouns for what is not a person, beside the heads above: they come before a name or explain it. */
const KINDS: Partial<Record<EntityType, string>> = {
  vessel: `barge barque boat brig coaster collier cruiser cutter destroyer dinghy dory dredger drifter ferry flagship
    freighter galley icebreaker launch lifeboat lightship liner lugger minesweeper packet ship sloop submersible tanker
    tender tug vessel whaler yacht craft`,
  place: `capital country nation suburb parish seaport inlet headland hamlet borough continent island spa resort settlement`,
  facility: `abbey dockyard farm inn monastery monument pub sanatorium shop cinema chapel cellar`,
  organization: `broker business carrier concern employer enterprise insurer lender maker manufacturer newspaper operator
    producer provider publisher regulator shipper supplier vendor body think-tank outfit distributor reseller`,
  publication: `book novel paper poem play daily essay monograph pamphlet treatise novella biography memoir song album`,
  artifact: `apparatus bottle device invention painting prototype sculpture watch weapon aircraft vehicle locomotive`,
  software: `app application backdoor bootkit botnet browser database downloader dropper exploit framework
    implant keylogger library loader malware platform plug-in product ransomware rootkit script stealer tool
    toolkit trojan utility worm wiper appliance firmware package`,
  technique: `algorithm attack flaw method mitigation procedure process tactic technique vulnerability weakness`,
  group: `actor adversary band couple duo gang intruders intruder operators set team trio`,
  project: `undertaking venture effort`,
  event: `accident anniversary competition dispute ceremony incident tragedy outbreak`,
  agreement: `deal rule rules bill`,
  law: `law legislation`,
  condition: `ailment illness infection`,
  substance: `alloy antibiotic chemical compound drug enzyme hormone medicine metal mineral pesticide polymer vaccine vitamin`,
  product: `brand console model smartphone`,
}

/** What people are called by what they do or are; endings cover the rest. */
const ROLES = new Set(
  `aide ambassador analyst apprentice architect archaeologist astronomer author baron baroness biologist bishop botanist
   boss brother captain chairman chairwoman chancellor chef chemist chief clerk coach colonel commander commodore consul
   cook cooper countess cousin daughter dean deputy designer director doctor duchess duke earl economist editor emperor
   empress engineer executive explorer father fisherman founder general geologist geophysicist governor guide heir heiress
   historian husband inventor investigator journalist judge keeper king knight lady lawyer lecturer lieutenant
   mate mathematician mayor mechanic meteorologist midwife miner minister monk mother navigator nephew niece nun
   nurse officer operator owner painter partner physician physicist pilot pioneer playwright poet politician premier
   president priest prince princess principal professor pupil queen recorder reporter researcher rector sailor scholar
   scientist sculptor secretary senator sergeant sheriff shipwright singer sister skipper smith soldier son spokesman
   spokeswoman student surgeon surveyor teacher technician treasurer uncle aunt widow widower wife witness woman man
   boy girl writer zoologist diver oceanographer hydrographer glaciologist cartographer seismologist `.split(/\s+/),
)

const byWord = new Map<string, EntityType>()
for (const lists of [HEADS, KINDS]) {
  for (const [type, words] of Object.entries(lists) as [EntityType, string][]) {
    for (const word of words.trim().split(/\s+/)) if (!byWord.has(word)) byWord.set(word, type)
  }
}

const singular = (noun: string): string => (/[^s]s$/.test(noun) ? noun.slice(0, -1) : noun)

/** The type that a noun stands for, as the last word of a name or as its explanation; null when it has none. */
export function typeOfNoun(noun: string): EntityType | null {
  const word = noun.toLowerCase()
  if (ROLES.has(word) || ROLES.has(singular(word))) return 'person'
  const listed = byWord.get(word) ?? byWord.get(singular(word))
  if (listed !== undefined) return listed
  return /(?:ologist|ographer|keeper|master|wright|monger|woman|builder|holder)$/.test(word) ? 'person' : null
}

/** Everyday European given names. Far from all: a name that is missing is recognized by the text around it. */
const GIVEN_NAMES = new Set(
  `adam adele agnes aino alan albert alexander alexandra alfred alice alison amanda amelia andrea andreas andrew angela ann
anna anne annie anthony anton antonio arthur astrid august barbara beatrice beatrix ben benjamin bernard bertha brian
bridget bruno camille carl carla carlo carlos caroline catherine cecilia charles charlotte christian christina
christopher clara claire clement colin constance cornelia daniel david deborah dennis diana dieter dimitri dominic
donald dorothy douglas edgar edith edmund edward edwin eleanor elena elias elisabeth elizabeth ella ellen emil emily
emma eric erik ernest esther eva evelyn felix ferdinand fiona florence frances francis frank franz fred frederick
friedrich gabriel geoffrey george georg gerald gerard gertrude gilbert giovanni giuseppe grace graham gregory greta
gustav hannah hans harold harriet harry heinrich helen helena henri henrik henry herbert hermann hilda hubert hugh hugo
ian ida ingrid irene isaac isabel isabella ivan jack jacob jacques james jan jane janet jean jennifer jeremy jessica
joan johann johannes john jonas jonathan jose josef joseph joshua juan judith julia julian julie karen karl kate
katherine keith kenneth klaus kurt lars laura lawrence leo leon leonard leopold lewis lily linda louis louisa louise
lucas lucia lucy ludwig luigi luke magnus marcel marco margaret maria marie marion mark marta martha martin mary
matilda matthew maurice max michael michel miriam mohammed monica nancy nathan nicholas nicolas nigel nina nora norman
oliver olga oscar otto pablo patricia patrick paul pauline pedro peter philip philippa pierre rachel ralph raymond
rebecca reginald richard rita robert roger roland ronald rosa rosalind rose rudolf rupert ruth samuel sandra sarah
sebastian sergei sigmund simon sofia sophia sophie stanley stefan stephen steven susan sven sylvia theodor theodore
theresa thomas timothy tobias ursula valerie vera victor victoria viktor vincent viola virginia vladimir walter warren
werner wilhelm william winifred yvonne`.split(/\s+/),
)

/** True for an everyday given name in lower case. */
export function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word)
}

const SURNAMES = new Set(
  'bank banks bay bell castle church field fields ford forest hall heath hill house lake land marsh mill mills moor park pool rivers rock stone street vale wells'.split(
    ' ',
  ),
)

/** True for a head that is a surname as well: "Henry Hall" is a man rather than a hall. */
export function isSurname(noun: string): boolean {
  return SURNAMES.has(noun.toLowerCase())
}

/** True for a noun that names what a person does or is to another. */
export function isRole(noun: string): boolean {
  return typeOfNoun(noun) === 'person'
}

const HONORIFIC =
  /^(?:(?:the\s+)?(?:mr|mrs|ms|miss|dr|doctor|prof|professor|sir|dame|lord|lady|captain|capt|colonel|col|major|lieutenant|lt|sergeant|sgt|general|admiral|commander|commodore|judge|justice|president|inspector|superintendent|brother|sister|father|mother|reverend|rev|bishop|canon|king|queen|prince|princess|saint|comrade|herr|frau|madame|monsieur|señor|don)\.?)\s+(?=\p{Lu})/iu

/** A name without the form of address in front of it, and whether there was one. */
export function withoutHonorific(name: string): { name: string; addressed: boolean } {
  const match = HONORIFIC.exec(name)
  const rest = match === null ? name : name.slice(match[0].length)
  // "Queen Amabel University" and "Saint Lucy Storm" are named after people; "Lady Oriel" may be a ship.
  const lastWord = rest.split(/\s+/).at(-1)!
  if (
    match === null ||
    typeOfNoun(lastWord) !== null ||
    /^(?:saint|lady|king|queen|father|mother|general)\b/i.test(name)
  ) {
    return { name, addressed: false }
  }
  return { name: rest, addressed: true }
}
