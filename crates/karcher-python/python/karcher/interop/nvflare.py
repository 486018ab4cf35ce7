"""A filter of NVFlare that adds exact noise to the update of a site. Needs ``pip install "nvflare>=2.9"``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from .. import _arguments, _docs
from .._withheld import withholds
from ..errors import Error
from ..estimators import PrivateFrechetMean
from ..ledger import _path

try:
    from nvflare.apis.dxo_filter import DXOFilter
except ImportError:  # whoever makes one is told
    DXOFilter = object

if TYPE_CHECKING:
    from ..privacy import Guarantee

_KIND = "WEIGHT_DIFF"


class PrivateUpdate(DXOFilter):  # type: ignore[misc]
    """Filter of a client's results: the update of the model, clipped to a ball, with the noise of a budget.

    The guarantee is that of a site: another update, from any other records, gives nearly the same result. It holds
    against the server, which adds the noise of all sites. With m sites the mean has √(m/2) times the noise of
    :class:`karcher.interop.flower.PrivateSum`. The number of steps becomes 1, because it depends on the records; the
    server then weighs all sites equally.

    Parameters
    ----------
    radius : float
        Radius of the ball about 0 to which the update is clipped, as one vector of all weights.
    epsilon : float, optional
        Budget ε of a round.
    delta : float, optional
        Failure probability δ, with ``epsilon``.
    mu : float, optional
        Budget μ of a round. Give this or ``epsilon``.
    ledger : str or os.PathLike, optional
        File of a ledger at the site, which counts each round. A round beyond its total is refused, and the job ends.

    Raises
    ------
    Error
        When NVFlare is not installed.

    Examples
    --------
    As a filter of the results of ``train``, at each site:

    >>> import karcher
    >>> noise = karcher.interop.nvflare.PrivateUpdate(radius=1.0, mu=0.5)    # doctest: +SKIP
    >>> job.to(noise, "site-1", filter_type=FilterType.TASK_RESULT, tasks=["train"])    # doctest: +SKIP

    The examples are not run with the others, as NVFlare is not installed there.
    """

    def __init__(
        self,
        radius: float,
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        mu: Optional[float] = None,
        ledger: Union[str, os.PathLike[str], None] = None,
    ) -> None:
        if DXOFilter is object:
            raise Error("NVFlare is not installed: pip install 'nvflare>=2.9'")
        super().__init__(supported_data_kinds=[_KIND], data_kinds_to_filter=[_KIND])
        self.radius, self.epsilon, self.delta, self.mu = radius, epsilon, delta, mu
        self.ledger = _arguments.optional(_path, "ledger", ledger)
        self.guarantee()

    def guarantee(self) -> Guarantee:
        """The guarantee of a round."""
        return self._mean(1).guarantee()

    def process(self, shareable: Any, fl_ctx: Any) -> Any:
        """Filters a result, and refuses one that is no update: NVFlare would let it pass.

        Raises
        ------
        Error
            For a result that is not one ``WEIGHT_DIFF``.
        """
        from nvflare.apis.dxo import from_shareable
        from nvflare.apis.fl_constant import ReturnCode
        from nvflare.apis.shareable import make_reply

        if shareable.get_return_code() != ReturnCode.OK:
            return make_reply(shareable.get_return_code())  # and nothing that came with it
        dxo = from_shareable(shareable)
        if dxo.data_kind != _KIND or not dxo.data:
            raise Error("the result is no WEIGHT_DIFF: send FLModel(params_type=ParamsType.DIFF, params=...)")
        return super().process(shareable, fl_ctx)

    @withholds
    def process_dxo(self, dxo: Any, shareable: Any, fl_ctx: Any) -> Any:
        """The update with noise. A weight that is no number makes the update 0, as an error would reveal it. Names and
        shapes of weights are published: send all of them in each round."""
        from nvflare.apis.dxo import DXO, MetaKey

        arrays = {name: np.asarray(value) for name, value in dxo.data.items()}
        update = np.concatenate([array.ravel().astype(float) for array in arrays.values()])
        noisy = self._mean(len(update)).fit(update[None]).release_.value
        parts = np.split(noisy, np.cumsum([array.size for array in arrays.values()])[:-1])
        data = {name: part.reshape(arrays[name].shape) for name, part in zip(arrays, parts)}
        return DXO(dxo.data_kind, data, {MetaKey.NUM_STEPS_CURRENT_ROUND: 1})

    def _mean(self, size: int) -> PrivateFrechetMean:
        """The mean of one vector."""
        return PrivateFrechetMean(
            f"euclidean:{size}",
            radius=self.radius,
            epsilon=self.epsilon,
            delta=self.delta,
            mu=self.mu,
            denoise="none",
            on_invalid="replace-with-center",
            ledger=self.ledger,
        )


__dir__ = _docs.complete(globals())
