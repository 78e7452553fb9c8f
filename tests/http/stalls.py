"""The former name of ``blocking``, for tests elsewhere that use it still."""

from tests.http.blocking import FILLER, fill_store, in_flight_request, in_flight_stream

__all__ = ["FILLER", "fill_store", "request_in_hand", "stream_in_hand"]
request_in_hand = in_flight_request
stream_in_hand = in_flight_stream
