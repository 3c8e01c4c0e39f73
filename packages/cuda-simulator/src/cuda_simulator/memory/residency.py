"""Where the pages of managed memory are: on the host, on a device, in both as copies, or nobody can say.

No call of the driver tells this. It follows from what moves pages, by the rules that the CUDA Driver API documents under
cuMemAdvise and cuMemPrefetchAsync for devices that can reach the host's memory, and a host that cannot reach theirs (an
H200 on PCI Express: DIRECT_MANAGED_MEM_ACCESS_FROM_HOST is 0):

- a prefetch brings pages to its place; of read-mostly pages it makes a copy there;
- a page that nobody touched yet is made where it is touched first;
- after that, whoever touches a page gets it, except that a device leaves a page on the host that prefers the host or is
  advised to be accessed by that device; reading a read-mostly page makes a copy, writing one ends all others, and so does
  taking that advice back.

Where the documentation leaves it to the driver, such as the first touch of a page by a device that may leave it on the host,
`places` is None. Known touches are those of kernels, page by page, of fills, and of the host: its page tables tell of those
(blocks.py), but not whether it read or wrote. So a page with copies that the host touched is on the host, and `perhaps` on the
device still. A GPU's driver may also bring neighbours of a touched page along, and may evict pages when memory is short; none
of this is here.
"""
from dataclasses import dataclass

from .places import DEVICE, NOWHERE, ON_HOST

HOST_SIDE = "host"


@dataclass(frozen=True)
class Where:
    """The places of a page, such as {"device 0"} or {"host", "device 0"}; none before it is first touched; None: unknown.

    `since` is what brought it there, or what made it unknown. `perhaps`: places that may have a copy too.
    """
    places: object = frozenset()
    since: str = "allocated"
    perhaps: frozenset = frozenset()

    def prefetched(self, attributes, place):
        """The same after a prefetch to a place of cuda.h."""
        if not attributes.read_mostly or not self.places:
            return Where(frozenset({name_of(place)}), "prefetch")
        return self._with_copy(name_of(place), "prefetch")

    def collapsed(self, attributes):
        """The same after read-mostly advice was taken back: of several copies one stays, the preferred place's if there is one."""
        if not self.places or len(self.places | self.perhaps) == 1:
            return self
        preferred = name_of(attributes.preferred) if attributes.preferred != NOWHERE else None
        return Where(frozenset({preferred}), "advice") if preferred in self.places else unknown("advice")

    def touched(self, attributes, toucher, write, cause):
        """The same after "host" or "device 0" touched it; `cause` says how."""
        if attributes.read_mostly and not write:
            return self if self.places is None else self._with_copy(toucher, cause)
        if toucher == HOST_SIDE or not _may_use_it_on_host(attributes, toucher) or self.places and HOST_SIDE not in self.places:
            return Where(frozenset({toucher}), cause)
        return self if self.places == {HOST_SIDE} and not self.perhaps else unknown(cause)

    def seen_on_host(self, attributes):
        """The same after the host touched it, to read or to write."""
        if self.places == {HOST_SIDE}:
            return self
        if not attributes.read_mostly:
            return Where(frozenset({HOST_SIDE}), "the host")
        return unknown("the host") if self.places is None else Where(frozenset({HOST_SIDE}), "the host", self.places - {HOST_SIDE})

    @property
    def watched(self):
        """Would a touch by the host change anything?"""
        return self.places is None or self.places - {HOST_SIDE}

    def _with_copy(self, place, cause):
        return Where(self.places | {place}, cause, self.perhaps - {place})


def _may_use_it_on_host(attributes, device):
    """May a device leave such a page on the host and use it there?"""
    return attributes.preferred[0] in ON_HOST or device in map(name_of, attributes.accessed_by)


def name_of(place):
    """ "host" or "device 0", of a place of cuda.h."""
    return f"device {place[1]}" if place[0] == DEVICE else HOST_SIDE


def unknown(since):
    """Where a page is that the driver may have moved."""
    return Where(None, since)
